package memory

// Exported for the tests of this package.
const EmbedRest = embedPause
const LongestMemory = maxMemory
const MaxMentions = maxMentions
const PlainPriority = plainPriority
