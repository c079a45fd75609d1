// Package boards manages storyboards: plans of scenes in shots, the tools that change them, and
// their sketches. Package taste learns from them.
//
//   - There is one way to change a plan. Keys, commands, steering lines, the model's
//     planning answers and files all become calls of a tool, which storyboard.Apply carries
//     out: a pure function from a plan and a call to a plan. A planning answer is the
//     parameters of its tool. Every call is stored with the resulting plan, so that undo
//     goes back one turn in that list, and learning compares neighbours in it. IDs of shots
//     are never reused; an index refers to the plan before the call.
//   - Sketches are captures of shots, made and sent in batches. They are in the gallery
//     only, never in the chat.
//   - All requests about a scene begin the same: system text and transcript, then the
//     user's taste, the board, and last the tool's instruction, so that the server reads
//     the scene once. A model with tool calling gets the tools and the errors of its calls;
//     another one chooses them in a JSON answer. The calls of a line are one turn.
//   - Learning has three steps. A harvest compares the lists of shots by ID, without a
//     model: what was requested counts, not its side effects; what the model planned is not
//     a preference. One call then derives conditional lessons, and rules drop broad ones
//     and those from corrected mistakes. The profile is made of all lessons of a story:
//     statistics are computed, repeated lessons become one card, contradictions become
//     conditions or are dropped. Failures leave the old documents unchanged.
//   - Cards contain nothing of the plot: names, IDs, quotations and phrases of the scenes,
//     their recaps and shots are searched for when a profile is stored and again when it is
//     used. Evidence is only shown to the user.
//   - An edit postpones the harvest of its scene by 20 s, and so does every further one.
//     Commands that wait for the queue do not wait for postponed operations.
//   - The user's overrides of a profile (changed, muted, deleted, own cards) are a record
//     of their own, so that a new profile cannot overwrite them.
package boards
