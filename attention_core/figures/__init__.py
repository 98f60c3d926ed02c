"""Tools that all studies draw with: panels and views, for the canvas, as SVG, for Plotly and as tables."""
