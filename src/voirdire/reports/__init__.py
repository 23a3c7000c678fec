"""The hand-over: page, JSON, rows and a summary, made from results; nothing is estimated here.

Figures that draw on an axis of your own are in `voirdire.reports.figures`.
"""

from __future__ import annotations

from voirdire.reports.circumstances import find_circumstances
from voirdire.reports.display import AgreementDisplay, ReportDisplay
from voirdire.reports.document import make_report
from voirdire.reports.junit import junit_xml
from voirdire.reports.page import PARTS, render_memo, render_page, render_part
from voirdire.reports.policy_note import policy_note
from voirdire.reports.rows import COLUMNS, dump_rows
from voirdire.reports.summary import render_summary
from voirdire.reports.words import LANGUAGES
from voirdire.reports.writing import report_of_study, write_report

__all__ = [
    "COLUMNS",
    "LANGUAGES",
    "PARTS",
    "AgreementDisplay",
    "ReportDisplay",
    "dump_rows",
    "find_circumstances",
    "junit_xml",
    "make_report",
    "policy_note",
    "render_memo",
    "render_page",
    "render_part",
    "render_summary",
    "report_of_study",
    "write_report",
]
