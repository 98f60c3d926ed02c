"""How results are drawn: Plotly figures and panels for the matrix view."""
