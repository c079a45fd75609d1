package director

// What the tests of this room look at from within.
const LongestText = longestText
const LongestTitle = longestTitle
const MostSeriesFile = mostSeriesFile
const MostWarnings = mostWarnings
const ShownBeats = shownBeats

var EpisodesOf = episodesOf
var HeardTurn = (*Service).heardTurn
var OneSeries = (*Service).oneSeries
var ReadSeries = readSeries
var TidyEpisode = tidyEpisode
