"""Methods that controllers are built from: shapers, regulators, predictors, estimators,
trackers."""
