"""Every private key of a visitor's session, with its meaning. A page's own begin with its name: ``PageState``."""

from typing import Final

# Where the visitor stands.
PAGE: Final = "_page"  # name of the page
COMPLETE: Final = "_complete"  # name of the page that the last whole run has drawn to its end
PAGES: Final = "_pages"  # the language of the navigation, and Streamlit's pages by their names
LANGUAGE: Final = "_language"  # the language that is read
SETTINGS: Final = "_settings"  # the settings of all pages that are not as they begin, by their keys in the link
COURSE: Final = "_course"  # the place in a course
CLASS: Final = "_class"  # the key of the class
TICKET: Final = "_class_ticket"  # what stands beside the key in the class's link
SECRET: Final = "_class_secret"  # the teacher's, from a link that held it where it is sent, until the browser has it

# The address.
VISITED: Final = "_visited"  # the page that a visit of ours leads to, until that has read its address
READS: Final = "_reads"  # whether this run reads the address
FROM_OTHERS: Final = "_from_others"  # whether the address was made by others, when it was read last
ARRIVED: Final = "_arrived"  # whether this run is the first on its page since another page
WIDGET_TURNS: Final = "_widget_turns"  # how often each widget has been replaced by another, by its name
QUERIES: Final = "_queries"  # what the address of each page held last
CUT: Final = "_cut"  # sentences whose characters were taken for words, by the settings' keys
NOTICES: Final = "_notices"  # sentences that are still to be said

# A live class.
TEACHES: Final = "_class_teaches"  # whether the browser has said that it has the teacher's secret
WRITTEN: Final = "_class_written"  # the questions that the teacher has written on the panel, as lines
KEY_TYPED: Final = "_class_typed"  # the key in the field on Home
KEY_REFUSED: Final = "_class_refused"  # why there is no class with it, to be said once below the field
PANEL: Final = "_class_panel"  # the component of the class on every page
START: Final = "_class_start"  # the component that opens a class
OWN_PLACE: Final = "_class_own"  # where a student was before following
FOLLOWED: Final = "_class_followed"  # the last call that was followed, and of which class
TO_MEASURE: Final = "_class_measure"  # the page whose question is to be measured, and the question
MEASURED: Final = "_class_measured"  # what was measured

# Making a course.
DRAFT: Final = "_draft"  # the course
DRAFT_KNOWN: Final = "_draft_known"  # whether the browser has said what it kept of it
DRAFT_STORE: Final = "_draft_store"  # the component that keeps it
OPEN_STEP: Final = "_course_open"  # the step whose editor is open
EDITOR: Final = "_course_edit"  # what its widgets are called, another each time it is opened
REMOVED_STEP: Final = "_course_gone"  # the step removed last, and where it was
WORKSHEET: Final = "_worksheet"  # the course that was put on paper last, its language, and its sheets
