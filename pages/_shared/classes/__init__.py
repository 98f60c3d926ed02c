"""Live classes on the pages: the ways in (``join.py``), and what stands on every page while one is on (``panel.py``).

What a class does goes past Streamlit: the browser speaks with the room by itself (``web/live_class/room.js``,
``rooms/``), so a vote costs no run. Streamlit knows the room's key, which stands in the link, and is told what it
alone can do: move to a page with settings, and measure the answer to a page's question. The teacher's secret does not
come here, but in a link that a program has changed (``core/incoming.py``): then it is handed to the browser.
"""
