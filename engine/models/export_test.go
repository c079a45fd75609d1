package models

// Exported for the tests of this package.
var PaceKey = paceKey
