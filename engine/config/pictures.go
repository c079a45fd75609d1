package config

// Images configures pictures that are requested in messages.
type Images struct {
	// Off disables the search for such requests.
	Off bool
	// Unasked paints them without showing the prompt first.
	Unasked bool
}

// VRAM configures how the memory of the graphics card is freed around a picture. A language model
// and a picture model rarely fit in it together.
type VRAM struct {
	KeepOllama bool // do not unload the language models before it
	FreeComfy  bool // have ComfyUI free its memory after it
}
