package memory

// What the tests of this room look at from within.
const EmbedRest = embedPause
const LongestMemory = maxMemory
const MaxMentions = maxMentions
const PlainPriority = plainPriority
