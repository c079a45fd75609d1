package boards

// What the tests of this room look at from within.
const LongestReply = longestReply
const MostBoardCalls = mostBoardCalls
const MostInTurn = mostInTurn
const MostRounds = mostRounds
const Steering = steering

var Unsketched = unsketched
