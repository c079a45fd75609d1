package boards

// What the tests of this room look at from within.
const LongestReply = maxReply
const MostBoardCalls = maxCalls
const MostInTurn = maxCallsPerTurn
const MostRounds = maxRounds
const Steering = steering

var Unsketched = missingSketches
