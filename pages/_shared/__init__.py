"""Everything that knows Streamlit beside the pages themselves."""
