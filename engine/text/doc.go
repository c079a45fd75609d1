// Package text is the only package that analyses prose: it folds case and accents, splits words and
// sentences by the Unicode rules (UAX #29), compares and cuts texts, and estimates tokens. It is
// independent of languages: it has no list of words, no stems and no grammar. The meaning of a text
// is a question for a model, or for the user.
//
// All functions are pure and safe for concurrent use. They accept any string; the result for
// invalid UTF-8 is unspecified within their bounds.
package text
