"""The concept test on the pages: which ten are asked, and in a class what phones and the teacher see of it."""
