import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

// Loads of the client are compared with this page: React, and one element.
createRoot(document.getElementById('root')!).render(createElement('main', null, 'Ready'))
