// Package pictures makes pictures: captures and their prompts, the studio, painting, the
// gallery, and what stays as it is from one picture to the next.
//
//  1. Capture stores a capture and queues capture_prompt on the language model's lane. The
//     pass after a turn says whether the user has asked for a picture, and gets there by
//     AskedAt.
//  2. package capture builds the instruction from the last messages, the character's
//     looks, the style and the continuity sheet; the model answers under a JSON schema.
//     The answer is checked (length, point of view, who is in it, trigger word,
//     contradictions with the sheet). A fault is sent back once; what is still wrong
//     becomes a warning in the preview.
//  3. The user edits and sends: capture_send goes to a lane of ComfyUI's, one per
//     server. What the user changed is kept as a compact Edit in the same transaction.
//     Seed, final prompt, server and job id are stored before the job is sent, so that
//     after a crash the job is followed, not sent twice. A server that is not there
//     makes it a draft that waits; one that has forgotten the job makes it a failure
//     that can be sent again.
//  4. The stages around the painting: wait until no reply streams, unload the language
//     models, see that they are gone, paint, free ComfyUI, have the prompt read again.
//     Each is a setting and is reported with the progress. Several pictures share one
//     run of them. Background work of the language model is held meanwhile; the user's
//     own turn never waits.
//  5. package comfy puts the values into the workflow: where the user has confirmed,
//     where placeholders stand, else by following the links of its sampler. It submits,
//     follows the websocket, and falls back to asking where that breaks. Previews and
//     steps become progress events; how long is left follows from what earlier runs
//     took.
//  6. File, thumbnail, then the message that shows them, so that no message is ever
//     without its file. Names come from our own ids. Pictures never reach the language
//     model: their messages have a role of their own, also where the screen shows them
//     like the character's. Captures of scenes long past are in the gallery only.
//
// A terminal's pictures are cells to the screen. Kitty's are text by nature. For Sixel
// and iTerm2 the picture is laid out as marked cells; the painter blanks them in what it
// compares and writes the visible part of each picture after the cells, in the same
// synchronized update, when place or content has changed, and rewrites what a picture
// has left.
package pictures
