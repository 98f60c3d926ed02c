"""Two buttons that only the browser can serve: copy text, and save the Plotly figure on screen as a picture."""

import streamlit as st

_STYLE = """
button {
  font: inherit; color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);
  padding: 0.35rem 0.75rem; min-height: 2.5rem; cursor: pointer;
}
button:hover { border-color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
"""

# navigator.clipboard is there only over https and on localhost; a classroom's network is often plain http.
_COPY_JS = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  button.onclick = async () => {
    let copied = false;
    try {
      await navigator.clipboard.writeText(data.text);
      copied = true;
    } catch {
      const area = document.createElement("textarea");
      area.value = data.text;
      area.style.position = "fixed";
      area.style.opacity = "0";
      document.body.append(area);
      area.select();
      copied = document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = copied ? "Copied" : "Copying is blocked here: select the text instead";
    setTimeout(() => { button.textContent = data.label; }, 1800);
  };
}
"""

# Plotly puts itself on window; its picture is made in the browser, so the server needs no image library.
_SAVE_JS = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  button.onclick = () => {
    const figures = document.querySelectorAll(".js-plotly-plot");
    const figure = figures[figures.length - 1];
    if (!figure || !window.Plotly) {
      button.textContent = "The figure is not drawn yet: try again";
      setTimeout(() => { button.textContent = data.label; }, 1800);
      return;
    }
    window.Plotly.downloadImage(figure, {
      format: data.format, filename: data.filename, scale: 2,
      width: figure.clientWidth, height: figure.clientHeight,
    });
  };
}
"""

_HTML = "<button type='button'></button>"
_copy = st.components.v2.component("copy_text", html=_HTML, css=_STYLE, js=_COPY_JS)
_save = st.components.v2.component("save_figure", html=_HTML, css=_STYLE, js=_SAVE_JS)


def copy_button(label: str, text: str, *, key: str) -> None:
    """A button that copies ``text``, over plain http too.

    Args:
        label: What the button says.
        text: What it copies.
        key: Its key.
    """
    _copy(data={"label": label, "text": text}, key=key, width="content", height="content")


def save_figure_button(label: str, *, image_format: str, filename: str, key: str) -> None:
    """A button that saves the last Plotly figure on the page.

    Args:
        label: What the button says.
        image_format: ``png`` or ``svg``.
        filename: Without its ending.
        key: Its key.
    """
    data = {"label": label, "format": image_format, "filename": filename}
    _save(data=data, key=key, width="content", height="content")
