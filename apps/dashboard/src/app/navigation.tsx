import { BookOpen } from 'lucide-react';
import { NavLink } from 'react-router';
import type { Page } from './pages.ts';
import { pages } from './pages.ts';
import { PersonMenu } from './person-menu.tsx';
import classes from './shell.module.css';

const groups = ['Start', 'Monitor', 'Set up'] as const;

/** The menu uses this callback to close when the user chooses a page. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  return (
    <nav className={classes.navigation} aria-label="Pages">
      {groups.map((group) => (
        <Group key={group} label={group} onNavigate={onNavigate} />
      ))}
      <div className={classes.foot}>
        <a className={classes.link} href="/docs" target="_blank" rel="noreferrer">
          <BookOpen size={18} aria-hidden />
          API reference
        </a>
        <PersonMenu />
      </div>
    </nav>
  );
}

function Group({ label, onNavigate }: { readonly label: Page['group']; readonly onNavigate?: () => void }) {
  const shown = pages.filter(({ group, isInNavigation }) => group === label && isInNavigation !== false);
  if (shown.length === 0) return null;
  return (
    <div>
      <p className={classes.group}>{label}</p>
      <ul className={classes.links}>
        {shown.map(({ path, label: text, icon: Icon }) => (
          <li key={path}>
            <NavLink className={classes.link} to={`/${path}`} onClick={onNavigate}>
              <Icon size={18} aria-hidden />
              {text}
            </NavLink>
          </li>
        ))}
      </ul>
    </div>
  );
}
