"""The ledger of claims on screen: what this process has found of them, the map on Home, and the three documents."""
