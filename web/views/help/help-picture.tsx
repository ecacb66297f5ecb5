import { type ReactNode, useState } from 'react'

const files = import.meta.glob<string>('./pictures/*.webp', { eager: true, import: 'default', query: '?url' })

/** The size of all pictures in pixels, as `tools/help-pictures.ts` takes them. */
const SIZE = { width: 732, height: 366 }

/** A picture in the theme of the page. Nothing is shown if it cannot be loaded, for example without a connection. */
export function HelpPicture({ name, text }: { name: string; text: string }): ReactNode {
  const [isMissing, miss] = useState(false)
  if (isMissing) return null
  return ['light', 'dark'].map((theme) => (
    // Browsers do not load lazy pictures that are hidden.
    <img
      key={theme}
      className={`help-picture help-picture-${theme}`}
      src={files[`./pictures/${name}-${theme}.webp`]}
      alt={text}
      loading="lazy"
      onError={() => miss(true)}
      {...SIZE}
    />
  ))
}
