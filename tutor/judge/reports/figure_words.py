"""The words that stand for a cell's figure where nothing is drawn."""

from tutor.course.plot import CellPlot, plot_words
from tutor.judge.model.events import AccessFigure
from tutor.judge.reports import access_figure


def figure_words(figure: AccessFigure | CellPlot | str) -> list[str]:
    """Return the lines for a figure; a sentence that stands for one stays as it is."""
    if isinstance(figure, CellPlot):
        return plot_words(figure)
    if isinstance(figure, AccessFigure):
        return [f"Access map of {figure.about}.", *access_figure.describe_launches(figure.launches)]
    return [figure]
