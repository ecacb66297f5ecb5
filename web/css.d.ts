declare module '*.css'

/** The classes of a sheet by their names in camel case. `tools/check-styles.ts` checks that they exist. */
declare module '*.module.css' {
  const classes: { readonly [name: string]: string }
  export = classes
}
