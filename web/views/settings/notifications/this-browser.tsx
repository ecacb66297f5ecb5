import { useMutation } from '@tanstack/react-query'
import Bell from 'lucide-react/icons/bell'
import type { ReactNode } from 'react'
import { askForNotices, useNoticePermission } from '../../../store/browser/notice-permission.ts'
import { Button } from '../../../ui/button.tsx'

/** Whether this browser lets notices be shown, and what to do where it does not. */
export function ThisBrowser(): ReactNode {
  const permission = useNoticePermission()
  const { mutate, isPending } = useMutation({ mutationFn: askForNotices })
  return (
    <section className="card settings-card" aria-labelledby="this-browser">
      <h2 id="this-browser">In this browser</h2>
      <p role="status">{WORDS[permission]}</p>
      {permission === 'unasked' && (
        <div>
          <Button
            kind="primary"
            icon={<Bell className="icon" aria-hidden="true" />}
            isPending={isPending}
            onPress={() => mutate()}
          >
            Allow notices
          </Button>
        </div>
      )}
    </section>
  )
}

const WORDS = {
  granted: 'Notices may be shown on the screen while you look at something else.',
  unasked: 'This browser shows no notices before you allow it.',
  denied:
    'This browser was told not to show notices of this page. You can allow them where it shows the address of the page, or in its settings.',
  insecure: 'This browser shows no notices of this page: that takes an address that begins with https.',
  none: 'This browser shows no notices of pages. Sounds and mail can still tell you.',
} as const
