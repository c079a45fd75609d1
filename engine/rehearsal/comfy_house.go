package rehearsal

// newComfy is the ComfyUI half of a house: flat out and small when the other half is, which
// is for tests, at a pace that can be watched otherwise. It must be closed.
func newComfy(opts Options) *Comfy {
	o := ComfyOptions{StepDelay: -1, Largest: 256}
	if opts.TokenDelay > 0 {
		o.StepDelay, o.Largest = DefaultStepDelay, 0
	}
	return NewComfy(o)
}
