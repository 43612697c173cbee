import classes from './brand.module.css';

export function Brand() {
  return (
    <div className={classes.brand}>
      <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width={26} height={26} />
      <span>Agent gateway</span>
    </div>
  );
}
