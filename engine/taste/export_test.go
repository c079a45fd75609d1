package taste

// Exported for the tests of this package.
const EditRecaps = editRecaps
const MostEdits = maxEdits
const MostOverrides = maxOverrides
const OpAggregate = opAggregate
const QuietTime = quietPeriod

var ChangeTaste = (*Service).changeTaste
var EditsIn = editsIn
var LearnParamsOf = learnParamsOf
var ReadHarvest = (*Service).readHarvest
var StoryNames = (*Service).storyNames
var TrimEdits = trimEdits
