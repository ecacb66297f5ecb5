import { createContext, use, useEffect, useEffectEvent } from 'react'

/** False in a part of the page that is kept while it is hidden. */
export const IsShown = createContext(true)

/** Closes what was opened over the page, such as a dialog, when the part of the page that opened it is hidden. */
export function useCloseWhenHidden(onClose: () => void): void {
  const isShown = use(IsShown)
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (!isShown) close()
  }, [isShown])
}
