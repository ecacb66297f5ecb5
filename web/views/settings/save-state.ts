/** The state of the last change of a setting. */
export type SaveState = 'idle' | 'saving' | 'saved' | 'changed elsewhere'
