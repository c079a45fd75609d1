package director

// What the tests of this room look at from within.
const LongestStageText = longestStageText
const LongestTitle = longestTitle
const MostEpisodes = mostEpisodes
const MostSeriesFile = mostSeriesFile
const MostSparks = mostSparks
const MostWarnings = mostWarnings
const ShownBeats = shownBeats

var EpisodeTexts = episodeTexts
var EpisodesOf = episodesOf
var HeardTurn = (*Service).heardTurn
var OneSeries = (*Service).oneSeries
var ReadSeries = readSeries
var TidyEpisode = tidyEpisode
