// Conventions of every table: `…At` is UNIX seconds with a fraction, a `Bit` is a truth value, a `Json` column holds
// JSON text, and a column that is null while something has not happened is the moment when it did.

export type Bit = 0 | 1
export type Json = string
