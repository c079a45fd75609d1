package models

// What the tests of this room look at from within.
var PaceKey = paceKey
