import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { updateOrganization, useOrganization } from './organization.ts'

/** The personal setting `color_scheme` of the API. */
export const Theme = { system: 1, dark: 2, light: 3 } as const

const REMEMBERED = 'parley.theme'

/** Shows the page in the theme, and remembers it for the next time before anything is known of the person. */
export function applyTheme(scheme: number): void {
  const name = scheme === Theme.dark ? 'dark' : scheme === Theme.light ? 'light' : null
  if (name === null) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = name
  try {
    localStorage.setItem(REMEMBERED, String(scheme))
  } catch {
    // Without storage the theme comes with what the server tells.
  }
}

export function applyRememberedTheme(): void {
  try {
    applyTheme(Number(localStorage.getItem(REMEMBERED)))
  } catch {
    // As above.
  }
}

/** The theme of the person, and what sets it here at once and for all their devices. */
export function useTheme(): [scheme: number, setScheme: (scheme: number) => void] {
  const { color_scheme } = useOrganization().user_settings
  const { mutate } = useMutation({
    mutationFn: (scheme: number) => call('PATCH /settings', { color_scheme: scheme }),
    onMutate: (scheme) =>
      updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, color_scheme: scheme } })),
  })
  return [color_scheme, mutate]
}
