"""The ledger of claims on screen: what this process has found of them, the map on Home, and the three documents.

What a claim is, and how it is checked, is ``attention_core.claims``; here it is kept for all visitors and drawn.
"""
