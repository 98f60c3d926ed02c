"""A page that has lost its server and found one again runs once more, by itself.

Streamlit's page connects again but waits for the next move. Where another replica or a new process answers, that move
finds a session that knows no widget yet, and a press on a button is lost. So the page asks for a run at once: a new
session draws it from the link and the widgets' values, and an old one, after a short gap in the network, as it was.
"""

import streamlit as st

_JS = """
export default function ({ parentElement, setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]");
  let lost = false;
  parentElement.watch?.disconnect();
  parentElement.watch = new MutationObserver(() => {
    const connected = app.dataset.testConnectionState === "CONNECTED";
    if (connected && lost) setTriggerValue("back", true);
    lost = !connected;
  });
  parentElement.watch.observe(app, { attributeFilter: ["data-test-connection-state"] });
  return () => parentElement.watch.disconnect();
}
"""
_watch = st.components.v2.component("watch_connection", js=_JS)


def watch_connection() -> None:
    """Draw nothing, and watch the connection."""
    _watch(key="_connection", height="content", on_back_change=lambda: None)
