/** An error of the message, and the field that it is about. */
export type ComposerError = { readonly field: 'channel' | 'topic' | 'people' | 'text'; readonly text: string }
