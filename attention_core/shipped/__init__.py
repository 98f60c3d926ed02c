"""The trained models that this package ships: what each was trained on, made again, and measured."""
