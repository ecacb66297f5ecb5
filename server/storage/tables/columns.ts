// Conventions of every table: `…At` is UNIX seconds with a fraction, a `Bit` is a boolean, a `Json` column contains
// JSON text, and a nullable `…At` column is null until the event has happened.

export type Bit = 0 | 1
export type Json = string
