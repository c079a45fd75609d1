package scenes

// What the tests of this room look at from within.
const OpDetectAll = opDetectAll
const OpExam = opExam
const OpJoin = opJoin
const OpMessage = opMessage
const OpRecap = opRecap
const OpRunning = opRunning

type RecapResult = recapResult

var Check = check
var PathToLook = pathToLook
var ReusedWords = reusedWords
