"""False sentences, as they were printed before they were corrected, with the trials behind them."""
