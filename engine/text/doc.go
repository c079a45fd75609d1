// Package text is the one place that looks into prose: it folds case and accents, splits words
// and sentences as Unicode says (UAX #29), compares and cuts texts, and estimates tokens. It
// knows no language: it has no list of words, no stems and no grammar.
// What a text means is asked of a model, or of the user.
//
// All functions are pure and safe for concurrent use. They take any string; where it is not
// valid UTF-8, what they return is unspecified within their bounds.
package text
