"""Parts that charts share: SVG elements, scales, rows, curves, small multiples."""
