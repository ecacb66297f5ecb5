import Download from 'lucide-react/icons/download'
import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { saveFile } from '../../ui/files.ts'
import { Notice } from '../../ui/notice.tsx'
import * as css from './shown-key.module.css'

/** Shows a new API key of the account `email`. The key can't be shown again. `children` explain its use. */
export function ShownKey(props: {
  apiKey: string
  email: string
  onClose: () => void
  children?: ReactNode
}): ReactNode {
  const { apiKey, email, onClose, children } = props
  const { realm_url } = useOrganization('realm_url')
  const zuliprc = `[api]\nemail=${email}\nkey=${apiKey}\nsite=${realm_url}\n`
  return (
    <>
      <div className="dialog-body">
        <Notice kind="warn" title={t('This key is only shown once')}>
          <p>{t('Copy it now, or download a configuration file for your program.')}</p>
        </Notice>
        <code className={css.keyShown}>{apiKey}</code>
        <div className="row">
          <CopyButton text={apiKey} autoFocus>
            {t('Copy key')}
          </CopyButton>
          <Button
            icon={<Download className="icon" aria-hidden="true" />}
            onPress={() => saveFile('zuliprc', zuliprc, 'text/plain')}
          >
            {t('Download zuliprc')}
          </Button>
        </div>
        {children}
      </div>
      <DialogActions>
        <Button kind="primary" onPress={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </>
  )
}
