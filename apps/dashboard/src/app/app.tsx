import {
  Button,
  CloseButton,
  Drawer,
  MantineProvider,
  Modal,
  Tooltip,
  createTheme,
  localStorageColorSchemeManager,
} from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from 'react-router/dom';
import classes from '../components/notices.module.css';
import { dismissNotice, useNotices, type Notice } from '../lib/notices.ts';
import { queryClient } from '../api/client.ts';
import { router } from './router.tsx';

/** Shows the messages of `notifyDone`. The region always exists, so that screen readers announce new messages. */
function Notices() {
  const notices = useNotices();
  return (
    <div className={classes.region} role="status">
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function NoticeCard({ notice: { id, text, undo } }: { readonly notice: Notice }) {
  return (
    <div className={classes.notice}>
      <span className={classes.text}>{text}</span>
      {undo === undefined ? null : (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            undo();
            dismissNotice(id);
          }}
        >
          Undo
        </Button>
      )}
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => dismissNotice(id)} />
    </div>
  );
}

/**
 * The CSS variables of the theme are in theme.css, because the Content-Security-Policy forbids style elements.
 * The variables must match the theme in app.tsx. Scroll locking is turned off, because it also creates a style
 * element.
 */
const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true } } }),
  },
});

const colorSchemeManager = localStorageColorSchemeManager({ key: 'svc-color-scheme' });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  );
}
