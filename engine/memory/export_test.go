package memory

// What the tests of this room look at from within.
const EmbedRest = embedRest
const LongestMemory = longestMemory
const MaxMentions = maxMentions
const PlainPriority = plainPriority
