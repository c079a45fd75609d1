// Package boards manages storyboards: plans of scenes in shots, the tools that change them, and
// their sketches. Package taste learns from them.
//
//   - One way to change a plan. Keys, commands, steering lines, the model's planning
//     answers and files all become calls of a tool, and storyboard.Apply carries them
//     out: a pure function from a plan and a call to a plan. A planning answer is the
//     parameters of its tool. Every call is kept with what the plan was after it, so
//     undo is going one turn up that list, and learning is comparing neighbours in it.
//     Shots have short names that are never given again; an index is read against the
//     plan before the call.
//   - Sketches are captures of shots, made and sent as batches are. They are in the
//     gallery only, never in the chat.
//   - One beginning for all requests about a scene: system text and transcript, then
//     what was learnt, the board, and last the tool's own words, so that the server
//     reads the scene once. A model with tool calling is offered the tools, and told
//     what was wrong with a call; another one chooses them in a form. What a line does
//     is committed as one turn.
//   - Learning is three operations of the queue after each other. A harvest compares the
//     lists of shots by name, without a model: what was asked for counts, not its side
//     effects; what the model planned is no preference. One call then draws conditional
//     lessons, and rules drop broad ones and those that come from mended mistakes. The
//     profile is made of all lessons of a story: numbers are computed, repeated lessons
//     become one card, contradictions become conditions or go. Failures leave the old
//     documents as they are.
//   - Nothing of the plot gets into a card: names, ids, quotations and phrases of the
//     scenes, their recaps and shots are looked for when a profile is stored and again
//     when it is told. Evidence is for the user's eyes only.
//   - Quiet first. An edit puts the harvest of its scene off for 20 s, and every further
//     one again. Who works the queue off and waits for its end (queue run) does not wait
//     for what was only put off.
//   - The user's hand on a profile (changed, muted, deleted, own cards) is a record of
//     its own, so that a new profile cannot overwrite it.
package boards
