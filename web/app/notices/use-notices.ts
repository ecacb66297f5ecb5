import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { noticePermission } from '../../store/browser/notice-permission.ts'
import { hearMessages } from '../../store/messages/heard.ts'
import type { Message } from '../../store/messages/message.ts'
import { spotOf } from '../../store/messages/narrow.ts'
import { knownOrganization } from '../../store/organization.ts'
import { toLocation } from '../../views/chat/to-location.ts'
import { isAlone } from './is-alone.ts'
import { playSound } from './sound.ts'
import { isWanted } from './wanted.ts'
import { wordsOf } from './words.ts'

/** Tells of messages while the window is not looked at, as one has chosen: on the screen, by a sound, or both. */
export function useNotices(): void {
  const router = useRouter()
  useEffect(() => {
    const open = (message: Message, ownId: number) => {
      window.focus()
      void router.navigate(toLocation(spotOf(message, ownId), message.id))
    }
    return hearMessages((message) => void tell(message, open))
  }, [router])
}

async function tell(message: Message, open: (message: Message, ownId: number) => void): Promise<void> {
  if (!(await isAlone(message.id))) return
  const organization = knownOrganization()
  if (organization === undefined) return
  const { user_settings, user_id: ownId } = organization
  if (isWanted('audible', message, organization) && user_settings.notification_sound !== 'none')
    // A browser without sound still shows the notice.
    playSound().catch(() => {})
  if (!isWanted('desktop', message, organization) || noticePermission() !== 'granted') return
  const hidesDirect = !user_settings.pm_content_in_desktop_notifications
  const { title, body } = wordsOf(message, { ownId, hidesDirect })
  showNotice(title, body, message, () => open(message, ownId))
}

function showNotice(title: string, body: string, { id, avatar_url }: Message, onClick: () => void): void {
  try {
    const icon = avatar_url === null ? {} : { icon: avatar_url }
    const notice = new Notification(title, { body, tag: `message ${id}`, ...icon })
    notice.onclick = () => {
      notice.close()
      onClick()
    }
  } catch {
    // Browsers of phones know the constructor and refuse it.
  }
}
