"""Making, walking and printing a course: the strip above a page, the editor, what is handed out, the worksheet."""
