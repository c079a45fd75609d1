package boards

// Exported for the tests of this package.
const LongestReply = maxReply
const MostBoardCalls = maxCalls
const MostInTurn = maxCallsPerTurn
const MostRounds = maxRounds
const Steering = steering

var Unsketched = missingSketches
