import Paperclip from 'lucide-react/icons/paperclip'
import { type ReactNode, useRef } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'

/** A button that attaches files. */
export function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  return (
    <span title={t('Attach files')}>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <Button
        kind="quiet"
        aria-label={t('Attach files')}
        icon={<Paperclip className="icon" aria-hidden="true" />}
        onPress={() => input.current?.click()}
      />
    </span>
  )
}
