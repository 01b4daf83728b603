half() { echo $(($1 / 2)); }
