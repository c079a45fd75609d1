package director

// Exported for the tests of this package.
const LongestText = maxText
const LongestTitle = maxTitle
const MostSeriesFile = maxSeriesFile
const MostWarnings = maxWarnings
const ShownTurns = shownTurns

var EpisodesOf = episodesOf
var HeardTurn = (*Service).updateSession
var OneSeries = (*Service).oneSeries
var ReadSeries = readSeries
var TidyEpisode = tidyEpisode
