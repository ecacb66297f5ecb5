import Phone from 'lucide-react/icons/phone'
import Video from 'lucide-react/icons/video'
import type { ReactNode } from 'react'
import { useOrganizationPart } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { applyEdit, selectionOf } from '../editor/text-area.ts'
import { BarButton } from './bar-button.tsx'
import { type CallKind, callEdit, findCallServer } from './call-link.ts'

/** Buttons that insert a link to a new call at the cursor; nothing if the organization has no calls. */
export function CallButtons({ field }: { field: () => HTMLTextAreaElement | null }): ReactNode {
  const server = useOrganizationPart(findCallServer)
  if (server === null) return null

  function insert(kind: CallKind) {
    const area = field()
    if (server !== null && area !== null) applyEdit(area, callEdit(server, kind, selectionOf(area)))
  }

  return (
    <>
      <BarButton label={t('Add video call')} Icon={Video} onPress={() => insert('video')} />
      <BarButton label={t('Add voice call')} Icon={Phone} onPress={() => insert('voice')} />
    </>
  )
}
