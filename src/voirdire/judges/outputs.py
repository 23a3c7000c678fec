"""How a model is made to answer in a form that can be read: schema, tool, grammar, or by asking."""

from __future__ import annotations

from typing import Any, Final, Literal

from voirdire.records import LABELS

__all__ = ["LADDERS", "Form", "Order", "answer_fields"]

Form = Literal["schema", "tool", "json", "grammar", "text"]
Order = Literal["before", "after", "none"]

LADDERS: Final[dict[str, tuple[Form, ...]]] = {
    "chat": ("schema", "tool", "json", "text"),
    "completions": ("grammar", "text"),
}
"""Forms tried with ``output = "auto"``, the strictest first."""

_TOOL: Final = "give_verdict"

# A grammar of llama.cpp; in a continued text the label is all that is written.
_COMPLETION_GRAMMAR: Final = "root ::= " + " | ".join(f'" {label}"' for label in LABELS)
_STRING: Final = r"""string ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\/bfnrt])* "\"" """
_LABEL_RULE: Final = "label ::= " + " | ".join(rf'"\"{label}\""' for label in LABELS)


def answer_fields(form: Form, *, order: Order, route: str, batch: int) -> dict[str, Any]:
    """What a request says, beside the messages, so that the answer has the form.

    Parameters
    ----------
    form : Form
    order : {"before", "after", "none"}
        Where the rationale stands. A model that names the label first defends it afterwards.
    route : {"chat", "completions"}
    batch : int
        Claims in the request.
    """
    schema = _schema(order) if batch == 1 else _batch_schema(batch)
    if form == "schema":
        return {"response_format": _response_format(schema)}
    if form == "tool":
        return {
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": _TOOL,
                        "description": "Give the verdict.",
                        "parameters": schema,
                    },
                }
            ],
            "tool_choice": {"type": "function", "function": {"name": _TOOL}},
        }
    if form == "json":
        return {"response_format": {"type": "json_object"}}
    if form == "grammar":
        return {"grammar": _COMPLETION_GRAMMAR if route == "completions" else _grammar(order)}
    return {"stop": ["\n"]} if route == "completions" else {}


def _response_format(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": schema},
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """An object whose fields come in the order given, all of them and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema(order: Order) -> dict[str, Any]:
    rationale, label = {"type": "string"}, {"type": "string", "enum": list(LABELS)}
    if order == "before":
        return _object({"rationale": rationale, "label": label})
    if order == "after":
        return _object({"label": label, "rationale": rationale})
    return _object({"label": label})


def _batch_schema(batch: int) -> dict[str, Any]:
    verdict = _object(
        {
            "claim": {"type": "integer", "enum": list(range(1, batch + 1))},
            "rationale": {"type": "string"},
            "label": {"type": "string", "enum": list(LABELS)},
        }
    )
    # Providers differ in whether they take minItems; the count is checked on what comes back.
    return _object({"verdicts": {"type": "array", "items": verdict}})


def _grammar(order: Order) -> str:
    rationale = r'"\"rationale\": " string'
    label = r'"\"label\": " label'
    fields = {
        "before": rf'{rationale} ", " {label}',
        "after": rf'{label} ", " {rationale}',
        "none": label,
    }[order]
    rules = [f'root ::= "{{" {fields} "}}"', _LABEL_RULE]
    return "\n".join(rules if order == "none" else [*rules, _STRING])
